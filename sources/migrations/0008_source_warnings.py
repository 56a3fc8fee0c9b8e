"""What a sync left out of the whole source stands in its status, not in its history alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0007_may_lose"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="warnings",
            field=models.JSONField(
                blank=True,
                db_default=models.Value([], models.JSONField()),
                default=list,
                editable=False,
                help_text="what its last complete sync left out, beside what its documents tell",
            ),
        ),
    ]
