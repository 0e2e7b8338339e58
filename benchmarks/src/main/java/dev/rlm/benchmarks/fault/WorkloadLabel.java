package dev.rlm.benchmarks.fault;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a {@link Workload} by its label. */
final class WorkloadLabel implements ITypeConverter<Workload> {
    @Override
    public Workload convert(String label) {
        return Arrays.stream(Workload.values())
                .filter(known -> known.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "'" + label + "' is none of " + Arrays.toString(Workload.values())));
    }
}
