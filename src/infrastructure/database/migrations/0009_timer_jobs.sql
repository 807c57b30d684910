-- compatible from: 0005
-- The one job that waits for an instance's next timer, so that it can be removed with the instance or the timer.
alter table waybill.process_instances add column timer_job uuid, add column timer_at timestamptz;
