/* A bot in C: bids its highest card for a prize above the middle, and its lowest for any other.
 *
 * cc -O2 -o highest highest.c && goofspiel match "cmd:./highest" optimal
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next card of a field, A 2 ... 9 T J Q K or [14], or 0 at its end. */
static int next_card(const char **text) {
  static const char names[] = "A23456789TJQK";
  if (**text == '[') {
    const int card = atoi(*text + 1);
    while (**text && *(*text)++ != ']') {
    }
    return card;
  }
  const char *found = **text ? strchr(names, **text) : NULL;
  if (!found)
    return 0;
  ++*text;
  return (int)(found - names) + 1;
}

static void print_card(int card) {
  if (card > 13)
    printf("bid [%d]\n", card);
  else
    printf("bid %c\n", "A23456789TJQK"[card - 1]);
}

int main(void) {
  char line[4096], position[4096] = "";
  int cards = 13;
  setvbuf(stdout, NULL, _IOLBF, 0); /* every answer at once */
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (!strncmp(line, "goofspiel ", 10)) {
      puts("id name highest");
      puts("option lead no");
      puts("ready");
    } else if (!strncmp(line, "rules ", 6)) {
      cards = atoi(line + 6);
      puts(strstr(line, " hidden") ? "error bids must be open" : "ready");
    } else if (!strncmp(line, "position ", 9)) {
      strcpy(position, line + 9);
    } else if (!strncmp(line, "go", 2)) {
      const char *hand = position; /* mine/theirs/deck upcard ... */
      int lowest = 0, highest = 0;
      for (int card; (card = next_card(&hand));) {
        lowest = lowest ? lowest : card;
        highest = card;
      }
      const char *upcard = strchr(position, ' ');
      const int prize = upcard ? (++upcard, next_card(&upcard)) : 0;
      print_card(2 * prize > cards + 1 ? highest : lowest);
    } else if (!strcmp(line, "quit")) {
      return 0;
    }
  }
  return 0;
}
