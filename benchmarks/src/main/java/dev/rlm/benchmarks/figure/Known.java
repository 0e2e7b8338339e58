package dev.rlm.benchmarks.figure;

/** A contender that was measured before, on another machine: the same in each round. Its name says so. */
public record Known(String name, Sample measure) implements Contender {}
