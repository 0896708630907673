"""What the pages of runs show, as plain values for their templates: a module for each part."""
