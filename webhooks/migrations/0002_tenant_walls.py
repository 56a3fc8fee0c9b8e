"""Composite foreign keys: no row can point into another tenant, whatever the code does."""

from django.db import migrations

# table, its column, the table it points to, what happens when that row goes
WALLS = [
    ("webhooks_chat", "connection_id", "channels_channelconnection", "CASCADE"),
    ("webhooks_inboundmessage", "connection_id", "channels_channelconnection", "CASCADE"),
    ("webhooks_inboundmessage", "chat_id", "webhooks_chat", "CASCADE"),
    ("webhooks_reply", "chat_id", "webhooks_chat", "CASCADE"),
]


def wall(table: str, column: str, target: str, on_delete: str) -> migrations.RunSQL:
    name = f"{table}_{column}_same_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name}"
        f" FOREIGN KEY (tenant_id, {column}) REFERENCES {target} (tenant_id, id)"
        f" ON DELETE {on_delete}",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial"), ("channels", "0002_tenant_walls")]

    operations = [wall(*row) for row in WALLS]
