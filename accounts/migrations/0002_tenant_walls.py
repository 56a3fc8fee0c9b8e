"""A session belongs to a membership of its own tenant.

A composite foreign key, which Django cannot declare.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.RunSQL(
            """
            ALTER TABLE accounts_session ADD CONSTRAINT accounts_session_membership_same_tenant
                FOREIGN KEY (tenant_id, membership_id)
                REFERENCES accounts_membership (tenant_id, id) ON DELETE CASCADE
            """,
            "ALTER TABLE accounts_session DROP CONSTRAINT accounts_session_membership_same_tenant",
        ),
    ]
