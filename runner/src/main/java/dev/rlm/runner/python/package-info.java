/** The environment of code actions: an agent writes Python, which is run in a sandboxed interpreter. */
@NullMarked
package dev.rlm.runner.python;

import org.jspecify.annotations.NullMarked;
