@NullMarked
package dev.rlm.runs.report;

import org.jspecify.annotations.NullMarked;
