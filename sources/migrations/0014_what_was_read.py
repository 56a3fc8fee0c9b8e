from typing import Any

from django.db import migrations, models
from django.db.models import F, Func


def keep_outcomes(apps: Any, schema_editor: Any) -> None:
    """What was left out of a document is its first warning."""
    documents = apps.get_model("sources", "Document")._base_manager
    told = Func(F("outcome"), function="jsonb_build_array", output_field=models.JSONField())
    documents.exclude(outcome="").update(warnings=told)


class Migration(migrations.Migration):
    dependencies = [("sources", "0013_connectors")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="coverage",
            field=models.JSONField(blank=True, default=dict, help_text="counts of words and pages"),
        ),
        migrations.AddField(
            model_name="document",
            name="warnings",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="what of it was not read and why: a sentence each",
            ),
        ),
        migrations.RunPython(keep_outcomes, migrations.RunPython.noop),
    ]
