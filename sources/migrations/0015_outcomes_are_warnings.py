from django.db import migrations


class Migration(migrations.Migration):
    """By itself: a table that a transaction has written to cannot lose a column in it."""

    dependencies = [("sources", "0014_what_was_read")]

    operations = [migrations.RemoveField(model_name="document", name="outcome")]
