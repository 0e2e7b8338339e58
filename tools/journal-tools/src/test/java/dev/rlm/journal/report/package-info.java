@NullMarked
package dev.rlm.journal.report;

import org.jspecify.annotations.NullMarked;
