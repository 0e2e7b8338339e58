/** The command line: results on stdout, all else on stderr, errors in one line. */
@NullMarked
package dev.rlm.runner.cli;

import org.jspecify.annotations.NullMarked;
