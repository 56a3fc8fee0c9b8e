from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_invitations_and_walls"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="address",
            field=models.CharField(
                blank=True, help_text="where it began, or last was", max_length=50
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="last_seen_at",
            field=models.DateTimeField(blank=True, help_text="to a few minutes", null=True),
        ),
        migrations.AddField(
            model_name="session",
            name="user_agent",
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name="tenant",
            name="time_zone",
            field=models.CharField(
                blank=True,
                help_text="IANA name, for times on pages; empty: the service's",
                max_length=63,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True,
                choices=[("es", "Spanish"), ("en", "English")],
                help_text="of pages; empty: the browser's",
                max_length=2,
            ),
        ),
    ]
