/** The verb collect, from outside. */
@NullMarked
package dev.rlm.collector;

import org.jspecify.annotations.NullMarked;
