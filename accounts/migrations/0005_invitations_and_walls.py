"""Who was a member before there were invitations joined when they were added. And a wall in the
database: an API token belongs to a membership of its own tenant.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_people_prove_themselves")]

    operations = [
        migrations.RunSQL(
            "UPDATE accounts_membership SET activated_at = created_at",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(
            """
            ALTER TABLE accounts_apitoken ADD CONSTRAINT accounts_apitoken_membership_same_tenant
                FOREIGN KEY (tenant_id, membership_id)
                REFERENCES accounts_membership (tenant_id, id) ON DELETE CASCADE
            """,
            """
            ALTER TABLE accounts_apitoken DROP CONSTRAINT accounts_apitoken_membership_same_tenant
            """,
        ),
    ]
