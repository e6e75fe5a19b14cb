"""A page and a JSON API over solved tables, with the web extra."""
