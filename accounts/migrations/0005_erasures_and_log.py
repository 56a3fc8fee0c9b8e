"""What others said of somebody keeps no erasure of that person open; and meanwhile the log takes a
pseudonym in the place of that person's address, and nothing else.

The trigger makes of the address the same regular expression as `names` (config/security/
personal.py), and compares with what replacing gives: for the closed account of an open receipt,
which keeps its address until the end. Receipts keep whose they are.
"""

from django.db import migrations, models

PSEUDONYMS = r"""
CREATE FUNCTION accounts_pseudonymised(before text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT regexp_replace(
        before,
        '(?:(?<![\w.%+-])|(?<=(?<!\\)(?:\\\\)*\\(?:[bfnrt]|u[0-9a-f]{4})))'
            || regexp_replace(person.email, '[][*+?(){}|^$.\\]', '\\\&', 'g')
            || '(?!\.?[\w-])',
        'erased-' || receipt.subject,
        'gi'
    )
    FROM accounts_erasurereceipt receipt JOIN accounts_user person ON person.id = receipt.person_id
    WHERE receipt.kind = 'person' AND receipt.finished_at IS NULL AND NOT person.is_active
        AND receipt.subject ~ '^[0-9a-f]{16}$'
$$;
"""
# Columns of 254 and 500 characters.
AS_REPLACED = """
        AND (NEW.actor = OLD.actor
            OR NEW.actor IN (SELECT left(t, 254) FROM accounts_pseudonymised(OLD.actor) t))
        AND (NEW.target_name = OLD.target_name OR NEW.target_name IN
            (SELECT left(t, 500) FROM accounts_pseudonymised(OLD.target_name) t))
        AND (NEW.details = OLD.details OR NEW.details IN
            (SELECT t::jsonb FROM accounts_pseudonymised(OLD.details::text) t))
"""
IS_PSEUDONYMISED = """
CREATE FUNCTION accounts_is_pseudonymised(before text, after text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT before = after OR EXISTS (
        SELECT FROM accounts_erasurereceipt
        WHERE kind = 'person' AND finished_at IS NULL
            AND position('erased-' || subject IN after) > 0
    )
$$;
"""
WITH_A_PSEUDONYM = """
        AND accounts_is_pseudonymised(OLD.actor, NEW.actor)
        AND accounts_is_pseudonymised(OLD.target_name, NEW.target_name)
        AND accounts_is_pseudonymised(OLD.details::text, NEW.details::text)
"""


def keep_activity(names: str) -> str:
    """SQL of the trigger. `names`: how an entry may name people otherwise than before."""
    return f"""
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
        {names}
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
"""  # noqa: S608 - the only part put in is a constant of ours


def keep_receipts(owners: str) -> str:
    """SQL of the trigger. `owners`: that an open receipt stays of whom it is."""
    return f"""
CREATE OR REPLACE FUNCTION accounts_keep_receipts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.finished_at IS NULL
        AND (NEW.id, NEW.kind, NEW.subject, NEW.asked_by, NEW.begun_at)
            = (OLD.id, OLD.kind, OLD.subject, OLD.asked_by, OLD.begun_at)
        {owners}
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what is in accounts_erasurereceipt stays as it is'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
"""


SAME_OWNERS = """
        AND NEW.person_id IS NOT DISTINCT FROM OLD.person_id
        AND NEW.workspace_id IS NOT DISTINCT FROM OLD.workspace_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_found_by_person"),
    ]

    operations = [
        migrations.AddField(
            model_name="erasurereceipt",
            name="said_by_others",
            field=models.JSONField(
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="how many rows of each column others wrote the person's address into",
            ),
        ),
        migrations.AddField(
            model_name="erasurereceipt",
            name="last_error",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="what kept it open the last time",
                max_length=500,
            ),
        ),
        migrations.AddField(
            model_name="erasurereceipt",
            name="worker_id",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="erasurereceipt",
            name="lease_until",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.RunSQL(
            PSEUDONYMS
            + keep_activity(AS_REPLACED)
            + "DROP FUNCTION accounts_is_pseudonymised(text, text);",
            IS_PSEUDONYMISED
            + keep_activity(WITH_A_PSEUDONYM)
            + "DROP FUNCTION accounts_pseudonymised(text);",
        ),
        migrations.RunSQL(keep_receipts(SAME_OWNERS), keep_receipts("")),
    ]
