"""Receipts of erasures stay as they are once they are closed, and none is deleted. While that of a
person is open, entries of what people did take that person's pseudonym, and nothing else.
"""

from django.db import migrations

KEEP_RECEIPTS = """
CREATE FUNCTION accounts_keep_receipts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.finished_at IS NULL
        AND (NEW.id, NEW.kind, NEW.subject, NEW.asked_by, NEW.begun_at)
            = (OLD.id, OLD.kind, OLD.subject, OLD.asked_by, OLD.begun_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what is in accounts_erasurereceipt stays as it is'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER accounts_keep_receipts BEFORE UPDATE OR DELETE ON accounts_erasurereceipt
FOR EACH ROW EXECUTE FUNCTION accounts_keep_receipts();
"""
LET_RECEIPTS_GO = """
DROP TRIGGER accounts_keep_receipts ON accounts_erasurereceipt;
DROP FUNCTION accounts_keep_receipts();
"""

# As in 0007, with a person's pseudonym.
KEEP_ACTIVITY = """
CREATE OR REPLACE FUNCTION accounts_is_pseudonymised(before text, after text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT before = after OR EXISTS (
        SELECT FROM accounts_erasurereceipt
        WHERE kind = 'person' AND finished_at IS NULL
            AND position('erased-' || subject IN after) > 0
    )
$$;
CREATE OR REPLACE FUNCTION accounts_keep_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (
        OLD.created_at < now() - interval '2 years'
        OR NOT EXISTS (SELECT FROM accounts_tenant WHERE id = OLD.tenant_id)
    ) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE'
        AND (NEW.id, NEW.tenant_id, NEW.created_at, NEW.action, NEW.target_kind, NEW.target_id)
            = (OLD.id, OLD.tenant_id, OLD.created_at, OLD.action, OLD.target_kind, OLD.target_id)
        AND NEW.person_id IS NOT DISTINCT FROM OLD.person_id
        AND accounts_is_pseudonymised(OLD.actor, NEW.actor)
        AND accounts_is_pseudonymised(OLD.target_name, NEW.target_name)
        AND accounts_is_pseudonymised(OLD.details::text, NEW.details::text)
        AND (
            (NEW.address, NEW.user_agent) = (OLD.address, OLD.user_agent)
            OR NEW.address = '' AND NEW.user_agent = '' AND EXISTS (
                SELECT FROM accounts_erasurereceipt
                WHERE kind = 'person' AND finished_at IS NULL AND person_id = OLD.person_id
            )
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what is in accounts_activityentry stays as it is'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
"""
KEEP_ACTIVITY_WHOLE = """
CREATE OR REPLACE FUNCTION accounts_keep_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (
        OLD.created_at < now() - interval '2 years'
        OR NOT EXISTS (SELECT FROM accounts_tenant WHERE id = OLD.tenant_id)
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'what is in accounts_activityentry stays as it is'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
DROP FUNCTION accounts_is_pseudonymised(text, text);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0014_erasure_receipts"),
    ]

    operations = [
        migrations.RunSQL(KEEP_RECEIPTS, LET_RECEIPTS_GO),
        migrations.RunSQL(KEEP_ACTIVITY, KEEP_ACTIVITY_WHOLE),
    ]
