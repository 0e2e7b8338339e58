/** The command line: results on stdout, all else on stderr, errors in one line. */
@NullMarked
package dev.rlm.runner.job;

import org.jspecify.annotations.NullMarked;
