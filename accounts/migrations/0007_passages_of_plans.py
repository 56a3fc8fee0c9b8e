"""Plans hold a number of passages: 400 for each of their documents, which is about a hundred pages.
What is unlimited stays so."""

from django.db import migrations, models

LIMIT_PASSAGES = """
UPDATE accounts_plan
SET max_passages = least(max_documents::bigint * 400, 2147483647)
WHERE max_documents IS NOT NULL AND max_passages IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_staff_access"),
    ]

    operations = [
        migrations.AddField(
            model_name="plan",
            name="max_passages",
            field=models.PositiveIntegerField(
                blank=True, help_text="what is indexed of all sources together", null=True
            ),
        ),
        migrations.AlterField(
            model_name="plan",
            name="blocks_overage",
            field=models.BooleanField(
                default=False,
                help_text="documents, passages and queries over the limit are refused; otherwise"
                " counted and billed",
            ),
        ),
        migrations.AlterField(
            model_name="usagecounter",
            name="metric",
            field=models.CharField(
                choices=[
                    ("queries", "Queries"),
                    ("documents", "Documents"),
                    ("passages", "Passages"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunSQL(LIMIT_PASSAGES, migrations.RunSQL.noop),
    ]
