"""What is held of a person is found by an index (accounts/leaving/person_archive.py)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0001_version_0_1"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["created_by"], name="sources_entry_author"),
        ),
    ]
