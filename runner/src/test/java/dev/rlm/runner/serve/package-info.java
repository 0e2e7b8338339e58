/** Tests of {@code rlm serve} over real sockets, with a small gateway in the place of a trainer's. */
@NullMarked
package dev.rlm.runner.serve;

import org.jspecify.annotations.NullMarked;
