BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('1.6');
CREATE TABLE assignments (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	study VARCHAR NOT NULL, 
	pack_id VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	rig VARCHAR NOT NULL, 
	list VARCHAR NOT NULL, 
	"order" VARCHAR NOT NULL, 
	assigned_utc VARCHAR NOT NULL, 
	accept_side VARCHAR, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "assignments" VALUES(1,'ZMXCWYH','accept_reject','p1','main','rig-1','l1','with_first','2026-01-02T09:00:03.000000Z','left');
CREATE TABLE choices (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	session VARCHAR(120), 
	chosen_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "choices" VALUES(1,'ZMXCWYH','told_result','no','s1','2026-01-02T09:00:10.000000Z');
CREATE TABLE consents (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	session VARCHAR(120), 
	text VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	language VARCHAR NOT NULL, 
	agreed BOOLEAN NOT NULL, 
	answered_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "consents" VALUES(1,'ZMXCWYH','s1','consent','1.0','0000000000000000000000000000000000000000000000000000000000000000','en',1,'2026-01-02T09:00:07.000000Z');
CREATE TABLE demographics (
	code VARCHAR(16) NOT NULL, 
	age_band VARCHAR, 
	glasses VARCHAR, 
	acuity VARCHAR, 
	language VARCHAR, 
	answered_utc VARCHAR NOT NULL, 
	gender VARCHAR, 
	PRIMARY KEY (code), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "demographics" VALUES('ZMXCWYH','25-34','no','normal','en','2026-01-02T09:00:13.000000Z','woman');
CREATE TABLE exported (
	export_id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	PRIMARY KEY (export_id, code), 
	FOREIGN KEY(export_id) REFERENCES exports (id)
);
INSERT INTO "exported" VALUES(1,'ZMXCWYH');
CREATE TABLE exports (
	id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	place VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	made_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "exports" VALUES(1,'bids','out','main','2026-01-02T09:00:14.000000Z');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('schema','registry/1.6');
CREATE TABLE notes (
	id INTEGER NOT NULL, 
	code VARCHAR(16), 
	kind VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	noted_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT kind_known CHECK (kind IN ('incident', 'compensation', 'note')), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "notes" VALUES(1,'ZMXCWYH','compensation','20 EUR','2026-01-02T09:00:11.000000Z');
INSERT INTO "notes" VALUES(2,NULL,'incident','power cut','2026-01-02T09:00:12.000000Z');
CREATE TABLE payments (
	id INTEGER NOT NULL, 
	code VARCHAR(16), 
	session VARCHAR(120), 
	study VARCHAR NOT NULL, 
	cents INTEGER NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	paid_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "payments" VALUES(1,'ZMXCWYH','s1','accept_reject',1250,'EUR','2026-01-02T09:00:16.000000Z');
CREATE TABLE people (
	code VARCHAR(16) NOT NULL, 
	role VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	axis VARCHAR, 
	rung INTEGER, 
	enrolled_utc VARCHAR NOT NULL, 
	PRIMARY KEY (code), 
	CONSTRAINT role_known CHECK (role IN ('lead', 'expert', 'participant')), 
	CONSTRAINT axis_with_rung CHECK ((axis IS NULL) = (rung IS NULL))
);
INSERT INTO "people" VALUES('ZMXCWYH','lead','main','deutan',3,'2026-01-02T09:00:00.000000Z');
INSERT INTO "people" VALUES('MFQFSRQ','expert','main',NULL,NULL,'2026-01-02T09:00:01.000000Z');
INSERT INTO "people" VALUES('MZCPMTJ','lead','pilot','protan',2,'2026-01-02T09:00:02.000000Z');
CREATE TABLE screenings (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	session VARCHAR(120), 
	procedure VARCHAR NOT NULL, 
	result VARCHAR NOT NULL, 
	screened_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT procedure_known CHECK (procedure IN ('trivector', 'd15', 'ishihara', 'titration', 'decision', 'by_hand')), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "screenings" VALUES(1,'ZMXCWYH',NULL,'titration','{"rung": 3}','2026-01-02T09:00:09.000000Z');
CREATE TABLE sessions (
	session VARCHAR(120) NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	study VARCHAR NOT NULL, 
	pack_id VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	rig VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	trials_done INTEGER NOT NULL, 
	started_utc VARCHAR NOT NULL, 
	heard_utc VARCHAR NOT NULL, 
	ended_utc VARCHAR, 
	disqualified_utc VARCHAR, 
	lease_until_utc VARCHAR, 
	lease_pc VARCHAR(16), journal_lines INTEGER, journal_chain VARCHAR(64), data_folder VARCHAR(16), 
	PRIMARY KEY (session), 
	CONSTRAINT state_known CHECK (state IN ('running', 'stopped', 'complete')), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "sessions" VALUES('s1','ZMXCWYH','accept_reject','p1','main','rig-1','stopped',7,'2026-01-02T09:00:04.000000Z','2026-01-02T09:00:06.000000Z','2026-01-02T09:00:06.000000Z','2026-01-02T09:00:05.500000Z',NULL,'0123456789ab',29,'1f413a6097fcaa8ee99a071284043cfa63930461d70ef85bb49db73342250fae','00112233445566aa');
CREATE TABLE takeovers (
	id INTEGER NOT NULL, 
	session VARCHAR(120) NOT NULL, 
	from_rig VARCHAR NOT NULL, 
	to_rig VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	taken_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(session) REFERENCES sessions (session)
);
INSERT INTO "takeovers" VALUES(1,'s1','rig-0','rig-1','rig-0 is broken','2026-01-02T09:00:15.000000Z');
CREATE TABLE withdrawals (
	code VARCHAR(16) NOT NULL, 
	withdrawn_utc VARCHAR NOT NULL, 
	PRIMARY KEY (code)
);
INSERT INTO "withdrawals" VALUES('MZCPMTJ','2026-01-02T09:00:08.000000Z');
CREATE UNIQUE INDEX one_assignment_a_pack ON assignments (code, pack_id, purpose);
CREATE INDEX sessions_of_a_code ON sessions (code);
CREATE INDEX consents_of_a_code ON consents (code);
CREATE INDEX screenings_of_a_code ON screenings (code);
CREATE INDEX choices_of_a_code ON choices (code);
CREATE INDEX notes_of_a_code ON notes (code);
CREATE INDEX exported_of_a_code ON exported (code);
CREATE INDEX takeovers_of_a_session ON takeovers (session);
CREATE INDEX payments_of_a_code ON payments (code);
COMMIT;
