"""What a messenger needs of secrets moves from its channel to a Connection, sealed anew: ciphertext
is bound to the row that it stands in. Both ways.

In batches that are committed one by one; killed and run again, it goes on with what is left. With
several keys, whichever opens a secret does, and the first one seals it. What none opens is moved as
it is, and marked: put the key back, migrate to 0003, and migrate again.
"""

from collections.abc import Callable
from typing import Any

from django.db import migrations, transaction

from config.security.encryption import CannotDecrypt, current_key_id, decrypt, encrypt

BATCH_ROWS = 100
NOTHING = b"{}"  # of a channel where nobody is called
NO_KEY = "No key of ours opens the secrets of this channel. Connect it again."


def context_of_channel(channel: Any) -> str:
    return f"channels.ChannelConnection:{channel.agent_id}:{channel.channel_type}"


def context_of_connection(connection: Any) -> str:
    return f"sources.Connection:{connection.tenant_id}:{connection.provider}:{connection.pk}"


def change_in_batches(rows: Any, change: Callable[[Any], None]) -> None:
    """Each of `rows`, locked; a batch is a transaction."""
    last = None
    while True:
        with transaction.atomic():
            left = rows.select_for_update(of=("self",), no_key=True).order_by("pk")
            batch = list((left.filter(pk__gt=last) if last else left)[:BATCH_ROWS])
            for row in batch:
                change(row)
        if len(batch) < BATCH_ROWS:
            return
        last = batch[-1].pk


def move_to_connections(apps: Any, schema_editor: Any) -> None:
    channels = apps.get_model("channels", "ChannelConnection").all_tenants
    connections = apps.get_model("sources", "Connection")

    def move(channel: Any) -> None:
        try:
            content = decrypt(channel.encrypted_config, context=context_of_channel(channel))
        except CannotDecrypt:
            content = None
        if content == NOTHING:
            return
        connection = connections(
            tenant_id=channel.tenant_id,
            provider=channel.channel_type,
            account=channel.account_id,
        )
        if content is None:
            connection.encrypted_credentials = channel.encrypted_config
            connection.key_id = channel.key_id
            connection.state, connection.reason = "reauth_required", NO_KEY
        else:
            context = context_of_connection(connection)
            connection.encrypted_credentials = encrypt(content, context=context)
            connection.key_id = current_key_id()
            if channel.status == "failing":
                connection.state, connection.reason = "reauth_required", channel.error_message
        connection.save(force_insert=True)
        channel.connection = connection
        channel.save(update_fields=["connection"])

    change_in_batches(channels.filter(connection=None), move)


def move_back(apps: Any, schema_editor: Any) -> None:
    """The database deletes each Connection when nothing points to it any more (0003)."""
    channels = apps.get_model("channels", "ChannelConnection").all_tenants

    def move(channel: Any) -> None:
        connection = channel.connection
        channel.account_id = connection.account
        try:
            content = decrypt(
                connection.encrypted_credentials, context=context_of_connection(connection)
            )
        except CannotDecrypt:  # as it came
            channel.encrypted_config = connection.encrypted_credentials
            channel.key_id = connection.key_id
        else:
            seal(channel, content)
        channel.connection = None
        channel.save(update_fields=["account_id", "encrypted_config", "key_id", "connection"])

    def seal_nothing(channel: Any) -> None:
        seal(channel, NOTHING)
        channel.save(update_fields=["encrypted_config", "key_id"])

    change_in_batches(channels.exclude(connection=None), move)
    change_in_batches(channels.filter(encrypted_config=b""), seal_nothing)


def seal(channel: Any, content: bytes) -> None:
    channel.encrypted_config = encrypt(content, context=context_of_channel(channel))
    channel.key_id = current_key_id()


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("channels", "0003_connections")]

    operations = [migrations.RunPython(move_to_connections, move_back)]
