"""Row-level security is forced on the owner of the tables too. A cascade of PostgreSQL's runs as
that owner, and so does, since PostgreSQL 18, a trigger behind it: it has to let itself through, or
an account whose agent is deleted would keep its secrets.
"""

from django.db import migrations

AS_OWNER = """
CREATE OR REPLACE FUNCTION channels_forget_connection() RETURNS trigger
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
"""
AS_CALLER = "ALTER FUNCTION channels_forget_connection() SECURITY INVOKER RESET ALL"


class Migration(migrations.Migration):
    dependencies = [("channels", "0005_no_secrets_in_channels")]

    operations = [migrations.RunSQL(AS_OWNER, AS_CALLER)]
