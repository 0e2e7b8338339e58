/** Journals as data frames of Spark, and their report computed by Spark. */
@NullMarked
package dev.rlm.engine.spark.journal;

import org.jspecify.annotations.NullMarked;
