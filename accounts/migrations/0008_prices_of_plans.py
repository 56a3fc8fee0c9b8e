"""Plans have a price, which staff fill in. The plan that a new workspace begins with is free."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_passages_of_plans"),
    ]

    operations = [
        migrations.AddField(
            model_name="plan",
            name="monthly_price",
            field=models.DecimalField(
                blank=True,
                decimal_places=2,
                help_text="in the currency of PRICE_CURRENCY, shown to everybody; empty: on"
                " request",
                max_digits=9,
                null=True,
            ),
        ),
        migrations.RunSQL(
            "UPDATE accounts_plan SET monthly_price = 0 WHERE slug = 'free'",
            migrations.RunSQL.noop,
        ),
    ]
