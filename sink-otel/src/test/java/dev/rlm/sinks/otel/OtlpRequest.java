package dev.rlm.sinks.otel;

import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.util.List;
import java.util.Map;

/**
 * One export as it arrived, decoded; two of the three lists are empty.
 *
 * @param protocol {@code grpc} or {@code http/protobuf}
 * @param headers by name in lower case; of a repeated header one value
 */
record OtlpRequest(
        OtlpSignal signal,
        String protocol,
        Map<String, String> headers,
        List<OtlpSpan> spans,
        List<OtlpPoint> points,
        List<OtlpLog> logs) {

    static OtlpRequest decode(OtlpSignal signal, String protocol, Map<String, String> headers, byte[] body)
            throws InvalidProtocolBufferException {
        return new OtlpRequest(
                signal,
                protocol,
                Map.copyOf(headers),
                signal == OtlpSignal.TRACES ? OtlpSpan.all(ExportTraceServiceRequest.parseFrom(body)) : List.of(),
                signal == OtlpSignal.METRICS ? OtlpPoint.all(ExportMetricsServiceRequest.parseFrom(body)) : List.of(),
                signal == OtlpSignal.LOGS ? OtlpLog.all(ExportLogsServiceRequest.parseFrom(body)) : List.of());
    }
}
