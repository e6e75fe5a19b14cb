// What is needed only after a game, loaded then.

import { reviewPanel } from "./review.js";
import { sharing } from "./sharing.js";

export { askReview, roundPanel } from "./review.js";

/**
 * The review of a game, with what one can do with it.
 * @param {Parameters<typeof reviewPanel>[0]} review
 * @param {Parameters<typeof reviewPanel>[1]} about
 */
export const reviewed = (review, about) => reviewPanel(review, about, sharing(review, about));
