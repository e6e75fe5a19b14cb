"""PositionBatch to all solved games at once."""
