@NullMarked
package dev.rlm.runner.rescore;

import org.jspecify.annotations.NullMarked;
