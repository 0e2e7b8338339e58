/** Recording from outside, through standard input and sockets. */
@NullMarked
package dev.rlm.runner.record;

import org.jspecify.annotations.NullMarked;
