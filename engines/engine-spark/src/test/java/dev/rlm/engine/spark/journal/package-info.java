@NullMarked
package dev.rlm.engine.spark.journal;

import org.jspecify.annotations.NullMarked;
