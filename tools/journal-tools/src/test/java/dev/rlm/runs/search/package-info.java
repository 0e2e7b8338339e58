@NullMarked
package dev.rlm.runs.search;

import org.jspecify.annotations.NullMarked;
