// Answers that come too late: a later turn outdates those to the questions of an earlier one.

import { asError } from "./api.js";

/**
 * Turns; `fail` is told what is wrong with an answer that is still waited for.
 * @param {(problem: Error) => void} fail
 */
export function turns(fail) {
  let turn = 0;
  return {
    /** Another turn begins. */
    next() {
      turn += 1;
    },

    /**
     * An answer; null when a later turn has begun meanwhile, or when there is none.
     * @template Answered
     * @param {Promise<Answered>} promise
     */
    async answered(promise) {
      const asked = turn;
      try {
        const answer = await promise;
        return asked === turn ? answer : null;
      } catch (error) {
        if (asked === turn) fail(asError(error));
        return null;
      }
    },
  };
}
