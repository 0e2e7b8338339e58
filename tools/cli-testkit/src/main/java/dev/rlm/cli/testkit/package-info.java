/** Runs verbs of the class path within the JVM of a test: their arguments, variables, streams, exit code and end. */
@NullMarked
package dev.rlm.cli.testkit;

import org.jspecify.annotations.NullMarked;
