"""Names of columns that customers are told, though the names suggest otherwise."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_hidden_columns"),
    ]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="told_columns",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=80),
                blank=True,
                db_default=[],
                default=list,
                help_text="names of columns that customers are told, though the names suggest"
                " otherwise",
                size=None,
            ),
        ),
    ]
