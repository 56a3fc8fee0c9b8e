"""The columns whose content 0004 has moved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("channels", "0004_secrets_to_connections")]

    operations = [
        migrations.RemoveField("channelconnection", "account_id"),
        migrations.RemoveField("channelconnection", "encrypted_config"),
        migrations.RemoveField("channelconnection", "key_id"),
    ]
