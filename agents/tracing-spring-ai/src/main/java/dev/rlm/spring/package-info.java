/** Agents that are built on Spring AI, recorded. */
@NullMarked
package dev.rlm.spring;

import org.jspecify.annotations.NullMarked;
