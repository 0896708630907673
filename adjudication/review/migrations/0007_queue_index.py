"""The queue is walked by the first digits of ids, over the items that are still open."""

from django.db import migrations, models
from django.db.models.functions import Cast, Left


class Migration(migrations.Migration):
    dependencies = [("review", "0006_reopening")]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                models.F("specification"),
                Left(Cast("id", models.TextField()), 3),
                condition=models.Q(("state__in", ["proposed", "in-review"])),
                name="item_open_by_digits",
            ),
        ),
    ]
