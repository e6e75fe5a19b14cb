"""What beats a player, and by how much; and what two players make of each other."""
