/** Verbs as processes that users start: what only a process of its own shows. */
@NullMarked
package dev.rlm.cli.verbs;

import org.jspecify.annotations.NullMarked;
