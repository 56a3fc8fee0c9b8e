"""A channel points to the outside account that it is connected to, which goes with the last row
that points to it: also when Django deletes a channel with its agent, which knows no channels."""

import django.db.models.deletion
from django.db import migrations, models

WALL = "channels_channelconnection_connection_id_same_tenant"
BUILD_WALL = (
    f"ALTER TABLE channels_channelconnection ADD CONSTRAINT {WALL}"
    " FOREIGN KEY (tenant_id, connection_id) REFERENCES sources_connection (tenant_id, id)"
)
FORGET = """
CREATE FUNCTION channels_forget_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM sources_connection
    WHERE id = OLD.connection_id
      AND NOT EXISTS (SELECT FROM sources_source WHERE connection_id = OLD.connection_id)
      AND NOT EXISTS (
          SELECT FROM channels_channelconnection WHERE connection_id = OLD.connection_id
      );
    RETURN NULL;
END $$;
CREATE TRIGGER channels_forget_connection
AFTER DELETE OR UPDATE OF connection_id ON channels_channelconnection
FOR EACH ROW WHEN (OLD.connection_id IS NOT NULL)
EXECUTE FUNCTION channels_forget_connection();
"""
REMEMBER = """
DROP TRIGGER channels_forget_connection ON channels_channelconnection;
DROP FUNCTION channels_forget_connection();
"""


class Migration(migrations.Migration):
    dependencies = [("channels", "0002_tenant_walls"), ("sources", "0011_connections")]

    operations = [
        migrations.AddField(
            model_name="channelconnection",
            name="connection",
            field=models.ForeignKey(
                blank=True,
                help_text="the bot or phone number; null: nobody is called",
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="sources.connection",
            ),
        ),
        migrations.RunSQL(
            BUILD_WALL, f"ALTER TABLE channels_channelconnection DROP CONSTRAINT {WALL}"
        ),
        migrations.RunSQL(FORGET, REMEMBER),
        # Back: what a row needs that 0004 has not filled in yet.
        migrations.AlterField(
            model_name="channelconnection",
            name="encrypted_config",
            field=models.BinaryField(default=b""),
        ),
        migrations.AlterField(
            model_name="channelconnection",
            name="key_id",
            field=models.CharField(
                default="", help_text="of the key that encrypts the secrets", max_length=16
            ),
        ),
        migrations.AlterField(
            model_name="channelconnection",
            name="channel_type",
            field=models.CharField(
                choices=[
                    ("web", "Website"),
                    ("messenger_a", "Telegram"),
                    ("messenger_b", "WhatsApp"),
                ],
                max_length=20,
            ),
        ),
    ]
