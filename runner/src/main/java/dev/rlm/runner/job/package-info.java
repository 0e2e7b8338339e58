/** Jobs of many episodes, as the verb {@code run} is told: options, plan, files, going on, and the summary. */
@NullMarked
package dev.rlm.runner.job;

import org.jspecify.annotations.NullMarked;
