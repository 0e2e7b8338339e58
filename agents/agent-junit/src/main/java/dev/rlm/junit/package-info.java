/** Tests of agents, recorded. */
@NullMarked
package dev.rlm.junit;

import org.jspecify.annotations.NullMarked;
