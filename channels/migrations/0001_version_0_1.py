"""Channels, as of version 0.1: what the migrations before it made step by step
(docs/decisions/0069-squashed-migrations.md).

A channel points to the outside account that it is connected to, which goes with the last row that
points to it: also when Django deletes a channel with its agent, which knows no channels.

Row-level security is forced on the owner of the tables too. A cascade of PostgreSQL's runs as that
owner, and so does, since PostgreSQL 18, a trigger behind it: it has to let itself through, or an
account whose agent is deleted would keep its secrets.
"""

from django.db import migrations, models
from django.utils import timezone

from config.database.declaring import (
    ALL_TENANTS,
    OF_TENANTS,
    CreateModels,
    build_walls,
    tenant_key,
    uuid_key,
)

MODELS = [
    migrations.CreateModel(
        name="ChannelConnection",
        fields=[
            ("id", uuid_key()),
            (
                "channel_type",
                models.CharField(
                    choices=[
                        ("web", "Website"),
                        ("messenger_a", "Telegram"),
                        ("messenger_b", "WhatsApp"),
                    ],
                    max_length=20,
                ),
            ),
            (
                "status",
                models.CharField(
                    choices=[("connected", "Connected"), ("failing", "Failing")],
                    default="connected",
                    max_length=10,
                ),
            ),
            (
                "error_message",
                models.CharField(
                    blank=True, help_text="what last went wrong, and what to do", max_length=500
                ),
            ),
            ("error_at", models.DateTimeField(blank=True, null=True)),
            (
                "paused_until",
                models.DateTimeField(
                    blank=True, help_text="the messenger asked us to send nothing before", null=True
                ),
            ),
            ("connected_at", models.DateTimeField(default=timezone.now)),
            (
                "last_call_at",
                models.DateTimeField(
                    blank=True,
                    help_text="the messenger's last call whose signature was right",
                    null=True,
                ),
            ),
            (
                "last_refused_at",
                models.DateTimeField(
                    blank=True,
                    help_text="somebody's last call whose signature was wrong",
                    null=True,
                ),
            ),
            (
                "agent",
                models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="agents.agent"),
            ),
            ("tenant", tenant_key()),
            (
                "connection",
                models.ForeignKey(
                    blank=True,
                    help_text="the bot or phone number; null: nobody is called",
                    null=True,
                    on_delete=models.RESTRICT,
                    related_name="+",
                    to="sources.connection",
                ),
            ),
        ],
        options={
            "ordering": ["channel_type"],
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "id"), name="channels_channelconnection_tenant_id"
                ),
                models.UniqueConstraint(
                    fields=("tenant", "agent", "channel_type"),
                    name="channels_channelconnection_unique",
                ),
                models.CheckConstraint(
                    condition=models.Q(("channel_type__in", ["web", "messenger_a", "messenger_b"])),
                    name="channels_channelconnection_type",
                ),
                models.CheckConstraint(
                    condition=models.Q(("status__in", ["connected", "failing"])),
                    name="channels_channelconnection_status",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
]

FORGET = """
CREATE FUNCTION channels_forget_connection() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    before text := coalesce(current_setting('knowledge.migrating', true), '');
BEGIN
    PERFORM set_config('knowledge.migrating', 'on', true);
    DELETE FROM sources_connection
    WHERE id = OLD.connection_id
      AND NOT EXISTS (SELECT FROM sources_source WHERE connection_id = OLD.connection_id)
      AND NOT EXISTS (
          SELECT FROM channels_channelconnection WHERE connection_id = OLD.connection_id
      );
    PERFORM set_config('knowledge.migrating', before, true);
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
    initial = True

    replaces = [
        ("channels", "0001_initial"),
        ("channels", "0002_tenant_walls"),
        ("channels", "0003_connections"),
        ("channels", "0004_secrets_to_connections"),
        ("channels", "0005_no_secrets_in_channels"),
        ("channels", "0006_forgetting_sees_all"),
    ]
    dependencies = [
        ("accounts", "0001_version_0_1"),
        ("agents", "0001_version_0_1"),
        ("sources", "0001_version_0_1"),
    ]

    operations = [
        CreateModels(*MODELS),
        build_walls(
            ("channels_channelconnection", "agent_id", "agents_agent", "CASCADE"),
            ("channels_channelconnection", "connection_id", "sources_connection", ""),
        ),
        migrations.RunSQL(FORGET, REMEMBER),
    ]
