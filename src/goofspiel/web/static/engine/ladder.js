// The ladder of opponents, and what was measured of it. Written by docs/results/ladder.py.

export const LADDER = [
  {
    "name": "novice",
    "title": "Novice",
    "says": "Bids what the prize is worth, or simply any card.",
    "plays": "mix(55 match, 45 uniform)",
    "strength": {
      "5": {
        "perfect": 1.260458,
        "best_response": 3.135542
      },
      "7": {
        "perfect": 2.162481,
        "best_response": 8.515438
      },
      "9": {
        "perfect": 3.565736,
        "best_response": 16.208791
      },
      "5 win": {
        "perfect": 0.372815,
        "best_response": 0.791308
      },
      "7 win": {
        "perfect": 0.337441,
        "best_response": 0.921858
      }
    },
    "exploited": {
      "5": {
        "gain": 1.851594,
        "risk": 0.757115
      },
      "7": {
        "gain": 2.926664,
        "risk": 0.876716
      }
    }
  },
  {
    "name": "eager",
    "title": "Eager",
    "says": "Wants every prize: bids what it is worth, or one more.",
    "plays": "mix(45 match, 35 match+1, 20 forgetful)",
    "strength": {
      "5": {
        "perfect": 0.664122,
        "best_response": 3.174662
      },
      "7": {
        "perfect": 0.904778,
        "best_response": 8.023466
      },
      "9": {
        "perfect": 1.387177,
        "best_response": 15.714045
      },
      "5 win": {
        "perfect": 0.280544,
        "best_response": 0.796951
      },
      "7 win": {
        "perfect": 0.20881,
        "best_response": 0.929672
      }
    },
    "exploited": {
      "5": {
        "gain": 1.208357,
        "risk": 0.779509
      },
      "7": {
        "gain": 1.686045,
        "risk": 0.870819
      }
    }
  },
  {
    "name": "casual",
    "title": "Casual",
    "says": "Plays sensibly, but falls back on bidding what the prize is worth.",
    "plays": "mix(40 match, 60 forgetful)",
    "strength": {
      "5": {
        "perfect": 0.310056,
        "best_response": 2.961017
      },
      "7": {
        "perfect": 0.47233,
        "best_response": 6.817371
      },
      "9": {
        "perfect": 0.777541,
        "best_response": 11.839104
      },
      "5 win": {
        "perfect": 0.185895,
        "best_response": 0.805425
      },
      "7 win": {
        "perfect": 0.198719,
        "best_response": 0.907046
      }
    },
    "exploited": {
      "5": {
        "gain": 0.794087,
        "risk": 0.749498
      },
      "7": {
        "gain": 1.093852,
        "risk": 0.855045
      }
    }
  },
  {
    "name": "regular",
    "title": "Regular",
    "says": "Knows its own cards well, and forgets which ones you have left.",
    "plays": "mix(10 match, 90 forgetful)",
    "strength": {
      "5": {
        "perfect": 0.193901,
        "best_response": 2.639977
      },
      "7": {
        "perfect": 0.374257,
        "best_response": 5.5345
      },
      "9": {
        "perfect": 0.571178,
        "best_response": 8.942318
      },
      "5 win": {
        "perfect": 0.1492,
        "best_response": 0.886979
      },
      "7 win": {
        "perfect": 0.204387,
        "best_response": 0.929039
      }
    },
    "exploited": {
      "5": {
        "gain": 0.534073,
        "risk": 0.738753
      },
      "7": {
        "gain": 0.856853,
        "risk": 0.844733
      }
    }
  },
  {
    "name": "club",
    "title": "Club player",
    "says": "Watches your cards, yet mixes too little: the likeliest bid comes too often.",
    "plays": "mix(25 forgetful, 50 predictable, 25 optimal)",
    "strength": {
      "5": {
        "perfect": 0.037209,
        "best_response": 1.725838
      },
      "7": {
        "perfect": 0.085203,
        "best_response": 4.627916
      },
      "9": {
        "perfect": 0.123301,
        "best_response": 9.085202
      },
      "5 win": {
        "perfect": 0.031642,
        "best_response": 0.667902
      },
      "7 win": {
        "perfect": 0.056181,
        "best_response": 0.767794
      }
    },
    "exploited": {
      "5": {
        "gain": 0.191393,
        "risk": 0.748641
      },
      "7": {
        "gain": 0.339242,
        "risk": 0.82143
      }
    }
  },
  {
    "name": "expert",
    "title": "Expert",
    "says": "Gives perfect play nothing, but likes its favourite bids a little too much.",
    "plays": "mix(25 predictable, 75 optimal)",
    "strength": {
      "5": {
        "perfect": 0.0,
        "best_response": 1.038759
      },
      "7": {
        "perfect": 0.0,
        "best_response": 2.618893
      },
      "9": {
        "perfect": 0.0,
        "best_response": 4.962427
      },
      "5 win": {
        "perfect": 0.0,
        "best_response": 0.251894
      },
      "7 win": {
        "perfect": 0.0,
        "best_response": 0.354153
      }
    },
    "exploited": {
      "5": {
        "gain": 0.073703,
        "risk": 0.731515
      },
      "7": {
        "gain": 0.120465,
        "risk": 0.817129
      }
    }
  },
  {
    "name": "optimal",
    "title": "Perfect",
    "says": "Cannot be beaten in the long run, whoever knows what about it.",
    "plays": "mix(100 optimal)",
    "strength": {
      "5": {
        "perfect": 0.0,
        "best_response": 0.0
      },
      "7": {
        "perfect": 0.0,
        "best_response": 0.0
      },
      "9": {
        "perfect": 0.0,
        "best_response": 0.0
      },
      "5 win": {
        "perfect": 0.0,
        "best_response": 0.0
      },
      "7 win": {
        "perfect": 0.0,
        "best_response": 0.0
      }
    },
    "exploited": {
      "5": {
        "gain": 0.0,
        "risk": 0.0
      },
      "7": {
        "gain": 0.0,
        "risk": 0.0
      }
    }
  }
];
