/** Data to train models on: conversations, triplets of prompt, response and reward, and sequences of tokens. */
@NullMarked
package dev.rlm.runs.exchange.training;

import org.jspecify.annotations.NullMarked;
