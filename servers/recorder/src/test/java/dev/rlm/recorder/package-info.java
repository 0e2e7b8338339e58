/** Recording from outside, through standard input and sockets. */
@NullMarked
package dev.rlm.recorder;

import org.jspecify.annotations.NullMarked;
