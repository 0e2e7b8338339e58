/** Agents that are programs of any language. */
@NullMarked
package dev.rlm.runner.exec;

import org.jspecify.annotations.NullMarked;
