"""What is held of a person is found by an index (accounts/leaving/person_archive.py)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("query", "0002_search_passages"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="answermark",
            index=models.Index(fields=["marked_by"], name="query_answermark_author"),
        ),
        migrations.AddIndex(
            model_name="leadnote",
            index=models.Index(fields=["by"], name="query_leadnote_author"),
        ),
        migrations.AddIndex(
            model_name="mailrecipient",
            index=models.Index(fields=["address"], name="query_mailrecipient_person"),
        ),
    ]
