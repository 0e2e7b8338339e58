/** Programs that verbs run. */
@NullMarked
package dev.rlm.cli.process;

import org.jspecify.annotations.NullMarked;
