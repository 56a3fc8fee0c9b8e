"""Sources say how many of the plan's passages their runs have reserved."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0002_found_by_person"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="reserved_count",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
    ]
