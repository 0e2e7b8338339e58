@NullMarked
package dev.rlm.runner.report.statistics;

import org.jspecify.annotations.NullMarked;
