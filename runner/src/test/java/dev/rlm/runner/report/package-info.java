@NullMarked
package dev.rlm.runner.report;

import org.jspecify.annotations.NullMarked;
