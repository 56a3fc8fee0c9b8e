"""Names of columns that customers are never told, beside those whose names suggest it."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_version_0_1"),
    ]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="hidden_columns",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=80),
                blank=True,
                db_default=[],
                default=list,
                help_text="names of columns in its tables that customers are never told",
                size=None,
            ),
        ),
    ]
